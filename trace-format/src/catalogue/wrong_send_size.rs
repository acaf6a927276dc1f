check! {
    WRONG_SEND_SIZE = "MV405" "wrong-send-size" Error Analyzer: "x"
}
