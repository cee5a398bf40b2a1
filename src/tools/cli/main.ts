#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { systemClock } from '../../library/base/clock.ts'
import { runCli } from './runCli.ts'

// It waits for AWS most of the time. By default V8 lets the garbage of 10,000 answers grow to twice this process.
setFlagsFromString('--optimize-for-size')

/** Containers may run as a user without a name. */
function user(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}

function version(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

// `lineclear ls | head` closes the pipe, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

/** If it waits for what never comes, Node.js ends without an answer: as after a failure. */
process.exitCode = 1
const ended = runCli(process.argv.slice(2), {
  out: (line) => void process.stdout.write(`${line}\n`),
  err: (line) => void process.stderr.write(`${line}\n`),
  terminal: process.stderr,
  stdin: process.stdin,
  width: process.stdout.isTTY ? process.stdout.columns : undefined,
  env: process.env,
  cwd: process.cwd(),
  clock: systemClock,
  user,
  version,
})
// Not awaited: in the package this is CommonJS.
void ended.then((code) => {
  process.exitCode = code
})
