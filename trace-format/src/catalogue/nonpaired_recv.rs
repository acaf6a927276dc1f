check! {
    NONPAIRED_RECV = "MV402" "nonpaired-recv" Error Analyzer: "x"
}
