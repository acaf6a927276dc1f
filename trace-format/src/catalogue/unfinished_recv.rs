check! {
    UNFINISHED_RECV = "MV102" "unfinished-recv" Error Analyzer: "x"
}
