check! {
    COLLECTIVE_MISMATCH = "MV509" "collective-mismatch" Error Analyzer: "x"
}
