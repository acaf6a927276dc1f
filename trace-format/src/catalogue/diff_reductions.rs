check! {
    DIFF_REDUCTIONS = "MV507" "diff-reductions" Error Analyzer: "x"
}
