check! {
    REAL_HANG_UP = "MV603" "real-hang-up" Error Analyzer: "x"
}
