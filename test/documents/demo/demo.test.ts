import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type Audited, endOf, lastLine, runDemo, sound, startDemo } from './runDemo.ts'

// The messages of a killed function are redelivered after 9 s, and a busy machine is slow.
describe.concurrent('npm run demo', { timeout: 90_000 }, () => {
  it('damages the naive ledger with every fault, and not the one of Lineclear', async ({
    expect,
  }) => {
    const { code, stdout } = await runDemo(['--messages', '40', '--seed', '7', '--json'])
    expect(code, stdout).toBe(0)
    expect(JSON.parse(lastLine(stdout))).toMatchObject({
      seed: 7,
      naive: { messages: 40, expected: 80, doubled: expect.toSatisfy(isSome) },
      lineclear: {
        ...sound,
        messages: 40,
        expected: 80,
        found: 80,
        deadLettered: 0,
        deliveries: expect.toSatisfy((deliveries) => deliveries > 80),
        duplicates: expect.toSatisfy(isSome),
        receipts: { expected: 40, found: 40, lost: 0, doubled: 0 },
        audit: { verdict: 'balanced', right: 80, double: 0, lost: 0, unmarked: 0, foreign: 0 },
      },
    })
    const { naive }: Audited = JSON.parse(lastLine(stdout))
    expect(naive.audit).toMatchObject({ verdict: 'anomalies', double: expect.toSatisfy(isSome) })
    expect(stdout).toMatch(
      /of the naive ledger: +\d+ double.*: (?:debit|credit) of tx-\d+ \d times/,
    )
    expect(stdout).toMatch(/of Lineclear's: +balanced, 80 entries/)
    expect(stdout).toContain('Lineclear took each of the 40 callbacks exactly once.')
    expect(stdout).toContain('npm run demo -- --seed 7 --messages 40 --faults all')
    expect(stdout).toMatch(/^ +\d+ s {3}naive +\d+ of \d+ {3}Lineclear +\d+ of \d+/m)
  })

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

  it.each([
    [['--messages', 'many'], '--messages: expected a whole number from 1 to 100000, got "many"'],
    [['--input', 'nowhere.jsonl'], '--input: expected a file that can be read, got nowhere.jsonl'],
  ])('exits with 2 for %j', async (args, problem) => {
    const { code, stdout, stderr } = await runDemo(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(problem)
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
    expect(children).not.toEqual([])
    expect(children.filter(isAlive)).toEqual([])
  })
})

function isSome(count: unknown): boolean {
  return typeof count === 'number' && count > 0
}

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
