check! {
    ABORT = "MV002" "abort" Error Analyzer: "x"
}
