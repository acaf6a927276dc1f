check! {
    COLLECTIVE_DATA_TYPE = "MV506" "collective-data-type" Error Analyzer: "x"
}
