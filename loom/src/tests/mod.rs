mod biased;
mod stage;
