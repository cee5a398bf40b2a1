import { execFileSync } from 'node:child_process'
import { describe, it } from 'vitest'
import { findDynoxide } from '../../../src/testing/local/engines/dynamodbEngine.ts'
import { endOf, lastLine, runDemo, sound, startDemo } from './runDemo.ts'

// The messages of a killed function are redelivered after 9 s, and a busy machine is slow.
describe.concurrent('npm run demo', () => {
  it('sends callbacks of the user, and dead-letters those that do not fit', async ({ expect }) => {
    const lines = [
      '{"transactionId":"one","account":"åsa 🚀","amount":1250}',
      'no JSON at all',
      '{"transactionId":"two","account":"bo","amount":-5}',
      '',
      '[]',
      '{"transactionId":"three","account":"cy","amount":1,"more":{"than":"asked"}}',
      '{"transactionId":"one","account":"dan","amount":1250}',
    ]
    const args = ['--input', '-', '--faults', 'duplicate,shuffle', '--seed', '3', '--json']
    const { code, stdout, stderr } = await runDemo(args, lines.join('\n'))
    expect(code, stdout).toBe(0)
    expect(stderr.match(/line \d/g)).toEqual(['line 2', 'line 7', 'line 1'])
    expect(stderr).toContain('line 2: expected JSON, got "no JSON at all"')
    expect(JSON.parse(lastLine(stdout))).toMatchObject({
      unreadableLines: 2,
      lineclear: { ...sound, messages: 4, expected: 4, found: 4, unfitting: 2, deadLettered: 2 },
    })
    expect(stdout).toMatch(/callbacks dead-lettered +2 +2/)
  })

  it('stops at Ctrl-C and leaves nothing behind', async ({ expect }) => {
    const child = startDemo('--seed', '1')
    const end = endOf(child)
    const progress = new Promise((resolve) => {
      child.stdout?.on('data', (text) => void (String(text).includes(' s   naive') && resolve(0)))
    })
    await progress
    const children = childrenOf(child.pid)
    child.kill('SIGINT')
    expect((await end).code).toBe(130)
    // The engine in TypeScript needs no process of its own.
    expect(children.length > 0).toBe(findDynoxide() !== undefined)
    expect(children.filter(isAlive)).toEqual([])
  })
})

function childrenOf(parent: number | undefined): readonly number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = processes.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...childrenOf(pid)] : []))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
