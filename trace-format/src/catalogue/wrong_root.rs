check! {
    WRONG_ROOT = "MV508" "wrong-root" Error Analyzer: "x"
}
