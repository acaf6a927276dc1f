check! {
    WRONG_RECV_SIZE = "MV504" "wrong-recv-size" Error Analyzer: "x"
}
