/** fast-check is an optional peer of the package: where it is missing, the error says what to install. */
export const fc = await import('fast-check').catch((cause: unknown) => {
  throw new Error('uwbench/laws needs the package fast-check: npm install --save-dev fast-check', { cause })
})
