check! {
    MISSING_FINALIZE = "MV005" "missing-finalize" Error Analyzer: "x"
}
