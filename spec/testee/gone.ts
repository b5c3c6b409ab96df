import { existsSync, readFileSync } from 'node:fs'

/** Whether a process is gone, or about to be: a killed one is not yet when its parent hears of it. */
export async function isGone(pid: number): Promise<boolean> {
  for (let i = 0; i < 400; i++) {
    try {
      process.kill(pid, 0)
      // a zombie waits for its parent, and does nothing
      const stat = `/proc/${pid}/stat`
      if (existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8'))) return true
    } catch {
      return true
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return false
}
