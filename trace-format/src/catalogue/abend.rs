check! {
    ABEND = "MV001" "abend" Error Dynamic: "a rank died of a fatal signal"
}
