check! {
    UNFINISHED_GOP = "MV502" "unfinished-gop" Error Analyzer: "x"
}
