/**
 * Runs as a process of its own: `PORT ENGINE-HOST ENGINE-PORT COMMAND…`. Starts the command, an engine that answers at ENGINE-HOST,
 * and passes on to it what programs send to PORT of 127.0.0.1. Kills it when standard input ends: the operating system closes that
 * however the parent died, even by SIGKILL. Ends with the command.
 */
import { spawn } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import { isFromProgram, REFUSED } from './loopbackGuard.ts'

const [port = '', host = '', enginePort = '', command = '', ...args] = process.argv.slice(2)

const server = createServer((client) => {
  let head: Buffer = Buffer.alloc(0)
  client.on('error', () => client.destroy())
  client.on('data', function read(chunk) {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0 && head.length <= LONGEST_HEAD) return
    client.off('data', read)
    const text = head.subarray(0, Math.max(end, 0)).toString('latin1')
    if (isProgram(text)) passOn(client, [...lastUnlessPost(text), head.subarray(end)])
    else client.end(`HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n${REFUSED}`)
  })
})
server.once('error', fail)
server.listen(Number(port), '127.0.0.1', () => {
  const engine = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  engine.once('error', fail)
  engine.once('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1))
  process.stdin.once('close', () => engine.kill('SIGKILL'))
  process.stdin.resume()
})

const LONGEST_HEAD = 16_384

function isProgram(head: string): boolean {
  const headers: Record<string, string[]> = {}
  for (const line of head.split('\r\n').slice(1)) {
    const [name = '', value = ''] = line.split(/:(.*)/s)
    ;(headers[name.toLowerCase()] ??= []).push(value.trim())
  }
  return isFromProgram(headers, Number(port))
}

/**
 * The first request speaks for its connection: each browser marks a POST of a page. Old ones mark no image, and would send a POST on
 * its connection: after what is no POST the engine has to close it.
 */
function lastUnlessPost(head: string): readonly string[] {
  return [head, ...(head.startsWith('POST ') ? [] : ['\r\nconnection: close'])]
}

function passOn(client: Socket, begun: readonly (string | Buffer)[]): void {
  const engine = connect(Number(enginePort), host)
  for (const part of begun) engine.write(part, 'latin1')
  client.pipe(engine).pipe(client)
  engine.on('error', () => client.destroy())
  engine.once('close', () => client.destroy())
  client.once('close', () => engine.destroy())
}

function fail(error: Error): void {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
