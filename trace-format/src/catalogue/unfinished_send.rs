check! {
    UNFINISHED_SEND = "MV101" "unfinished-send" Error Analyzer: "x"
}
