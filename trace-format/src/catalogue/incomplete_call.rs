check! {
    INCOMPLETE_CALL = "MV003" "incomplete-call" Error Analyzer: "x"
}
