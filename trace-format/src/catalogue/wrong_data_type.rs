check! {
    WRONG_DATA_TYPE = "MV406" "wrong-data-type" Error Analyzer: "x"
}
