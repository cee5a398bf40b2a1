/**
 * Runs as a process of its own: makes a database in a temporary folder, serves it on 127.0.0.1, says its port, and ends with it
 * when standard input ends. The operating system closes standard input however the parent died.
 * Arguments: the folder of PostgreSQL's programs, and a port.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const [given = '', port = ''] = process.argv.slice(2)
const isRoot = process.getuid?.() === 0
const folder = mkdtempSync(join(isRoot && !isOpen(tmpdir()) ? '/tmp' : tmpdir(), 'lineclear-pg-'))
const data = join(folder, 'data')
mkdirSync(data)
chmodSync(data, 0o700)
const bin = programs()
/** PostgreSQL does not run as root. 65534 is the user without rights. */
const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
if (isRoot) execFileSync('chown', ['-R', '65534:65534', folder])
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

/** The user without rights has to reach the programs: where root has installed them below /root, it cannot. */
function programs(): string {
  if (!isRoot || isOpen(join(given, 'postgres'))) return given
  cpSync(dirname(given), join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(folder, 'native', 'bin')
}

/** Whether every user may go through the folders to `path`, and through it. */
function isOpen(path: string): boolean {
  const isOpenItself = (statSync(path).mode & 0o001) !== 0
  return isOpenItself && (path === dirname(path) || isOpen(dirname(path)))
}
