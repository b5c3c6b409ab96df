/** uwbench: declare a watermark once; embed, detect, gate and benchmark it. */
export {}
