/**
 * Runs as a process of its own: makes a database in a temporary folder, serves it on 127.0.0.1, says its port, and ends with it
 * when standard input ends. The operating system closes standard input however the parent died.
 * Arguments: the folder of PostgreSQL's programs, and a port.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const [bin = '', port = ''] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'lineclear-postgres-'))
const data = join(folder, 'data')
mkdirSync(data)
/** PostgreSQL does not run as root. 65534 is nobody. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
if (user.uid !== undefined) {
  for (const each of [folder, data]) chownSync(each, user.uid, user.gid)
}
chmodSync(data, 0o700)
const quiet = { ...user, cwd: folder, env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' } }
const clean = (): void => rmSync(folder, { recursive: true, force: true })

try {
  const made = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync']
  execFileSync(join(bin, 'initdb'), made, { ...quiet, stdio: 'pipe' })
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error))
  clean()
  process.exit(1)
}
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: folder,
  // What a crash of the machine would lose does not matter here.
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  deadlock_timeout: '100ms',
}
const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', port, ...options], {
  ...quiet,
  stdio: ['ignore', 'inherit', 'inherit'],
})
server.once('error', (error) => process.stderr.write(error.message))
server.once('close', () => {
  clean()
  process.exit(1)
})
process.stdin.once('close', () => server.kill('SIGQUIT'))
process.stdin.resume()
