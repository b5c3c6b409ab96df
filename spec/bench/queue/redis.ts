/** A Redis server for the tests of a file: Debian's, on a free port, in a folder of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface RedisServer {
  readonly url: string
  readonly port: number
  /** Ends the server as a power cut does; what it had written stays. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Ends the server and removes its folder. */
  end(): Promise<void>
}

const isUp = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.end())
  })

/** Starts a server that writes down every command. */
export async function startRedis(args: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'uwbench-redis-'))
  const usual = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--appendonly',
    'yes',
  ]
  let child: ChildProcess
  const start = async (): Promise<void> => {
    child = spawn('redis-server', [...usual, '--appendfsync', 'everysec', ...args], { stdio: 'ignore' })
    while (!(await isUp(port))) await pause(20)
  }
  const stop = async (): Promise<void> => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  await start()
  const end = async (): Promise<void> => {
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
  return { url: `redis://127.0.0.1:${port}`, port, start, stop, end }
}
