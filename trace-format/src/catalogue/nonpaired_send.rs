check! {
    NONPAIRED_SEND = "MV401" "nonpaired-send" Error Analyzer: "x"
}
