/** The binaries of src/core/kernels, and the folders of their sources. */
export const binaries: Readonly<Record<'binary.ts' | 'text-binary.ts', string>>

/** The text of a binary of src/core/kernels, compiled anew. */
export function compileKernels(name: string): Promise<string>
