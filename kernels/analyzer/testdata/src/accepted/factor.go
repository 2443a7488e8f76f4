package accepted

const factor = 0.5
