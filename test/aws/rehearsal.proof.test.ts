import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** In a process of its own: the examples read their environment when they are loaded. @param signalled sent when it says so */
async function rehearse(signalAt?: string): Promise<{ readonly code: unknown; said: string }> {
  const child = spawn('npm', ['run', '-s', 'aws', '--', '--rehearse'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => {
    said += text.toString()
    if (signalAt === undefined || !said.includes(signalAt)) return
    signalAt = undefined
    process.kill(-(child.pid ?? 0), 'SIGTERM')
  })
  const [code] = (await once(child, 'close')) as [unknown]
  return { code, said }
}

it('rehearsed on the local cloud, the books are right, and each assumption is met or known to be otherwise', async () => {
  const { code, said } = await rehearse()
  expect(said).not.toMatch(/^(?:WRONG|OTHERWISE|ENDED|LEFT)/m)
  expect(said).toContain('Nothing is left.')
  expect(code).toBe(0)
})

it('stopped by a signal, it removes what it has made', async () => {
  const { said } = await rehearse('all sent twice')
  expect(said).toContain('ENDED      Error: stopped by SIGTERM')
  expect(said).toContain('Nothing is left.')
})
