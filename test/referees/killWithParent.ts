/**
 * Runs as a process of its own: starts the command in its arguments and kills it when standard input ends. The operating system
 * closes standard input however the parent died, even by SIGKILL. Ends with the command.
 */
import { spawn } from 'node:child_process'

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
child.once('error', (error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
child.once('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
process.stdin.once('close', () => child.kill('SIGKILL'))
process.stdin.resume()
