/** The binaries of src/kernels, and the folders of their sources. */
export const binaries: Readonly<Record<'binary.ts' | 'text-binary.ts', string>>

/** The text of a binary of src/kernels, compiled anew. */
export function compileKernels(name: string): Promise<string>
