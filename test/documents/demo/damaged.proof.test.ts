import { describe, expect, it } from 'vitest'
import { type Audited, lastLine, runDemo, sound } from './runDemo.ts'

// The messages of a killed function are redelivered after 9 s, and a busy machine is slow.
describe.concurrent('npm run demo', () => {
  it('damages the naive ledger with every fault, and not the one of Lineclear', async ({
    expect,
  }) => {
    const { code, stdout } = await runDemo(['--messages', '40', '--seed', '7', '--json'])
    expect(code, stdout).toBe(0)
    expect(JSON.parse(lastLine(stdout))).toMatchObject({
      seed: 7,
      late: {
        naive: { expected: 10, lost: 0, doubled: expect.toSatisfy(isSome) },
        powertools: { expected: 10, lost: 0, doubled: expect.toSatisfy(isSome) },
        lineclear: { expected: 10, found: 10, lost: 0, doubled: 0 },
      },
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
    expect(stdout).toMatch(
      /naive +Powertools +Lineclear\n +doubled by late attempts +\d+ +\d+ +0\n/,
    )
    expect(stdout).toContain('Lineclear took each of the 40 callbacks exactly once.')
    expect(stdout).toContain('npm run demo -- --seed 7 --messages 40 --faults all')
    expect(stdout).toMatch(/^ +\d+ s {3}naive +\d+ of \d+ {3}Lineclear +\d+ of \d+/m)
  })

  it.each([
    [['--messages', 'many'], '--messages: expected a whole number from 1 to 100000, got "many"'],
    [['--input', 'nowhere.jsonl'], '--input: expected a file that can be read, got nowhere.jsonl'],
  ])('exits with 2 for %j', async (args, problem) => {
    const { code, stdout, stderr } = await runDemo(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(problem)
  })
})

function isSome(count: unknown): boolean {
  return typeof count === 'number' && count > 0
}
