/** When the run is stopped, so is this process, at once and without waiting for its workers: files are written whole or not at all. */
export const stopWithTheRun = (): void => {
  process.prependOnceListener('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}
