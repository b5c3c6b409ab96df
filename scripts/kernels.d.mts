/** The text of src/kernels/binary.ts, compiled anew. */
export function compileKernels(): Promise<string>
