check! {
    NONFREED_REQUEST = "MV103" "nonfreed-request" Error Analyzer: "x"
}
