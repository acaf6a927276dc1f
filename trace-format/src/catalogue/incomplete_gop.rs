check! {
    INCOMPLETE_GOP = "MV501" "incomplete-gop" Error Analyzer: "x"
}
