import { env, stdout } from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bound } from '../../proof/depth.ts'
import { type BrokenShop, startBrokenShop } from './brokenShop.ts'
import { type Answer, doTask, typed } from './doTasks.ts'
import { quoted } from './practice.ts'
import { clientsOf } from './runbook/shopClients.ts'
import { type Task, TASKS } from './tasks.ts'
import { essence, transcriptOf } from './transcript.ts'

let shops: readonly BrokenShop[]
beforeAll(async () => {
  shops = await Promise.all(Array.from({ length: bound(0, 1, 2) }, () => startBrokenShop()))
})
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop[Symbol.asyncDispose]()))
})

function timesOf({ name, commands }: Pick<Task, 'name' | 'commands'>, took: number): string {
  return `${name} | ${commands.length} | ${(took / 1_000).toFixed(1)} s\n`
}

describe('the tasks of an operator', () => {
  const done: (readonly Answer[])[] = []

  it.each(TASKS)('$name', async ({ shows, ...task }) => {
    const own = task.commands.filter((each) => !each.includes('--apply PLAN'))
    expect(own.length).toBeLessThanOrEqual(3)
    const began = performance.now()
    const [first = [], second] = await Promise.all(
      shops.map((shop) => doTask(shop, { shows, ...task })),
    )
    done.push(first)
    const took = performance.now() - began
    if (env['LINECLEAR_TIMES'] === '1') stdout.write(timesOf(task, took))
    expect(first).toHaveLength(task.commands.length)
    for (const [nth, { text }] of first.entries()) expect(text).toMatch(shows[nth] ?? /^$/)
    if (second === undefined) return
    // Each night: in another shop the same commands have the same result.
    const texts = (answers: readonly Answer[]) => answers.map(({ text }) => essence(text))
    expect(texts(second)).toEqual(texts(first))
  })

  it('are quoted in the runbook as they were answered here: else npm run practice', () => {
    expect(essence(transcriptOf(done))).toBe(essence(quoted()))
  })

  it('change nothing when they are typed again', async () => {
    const [shop] = shops
    if (shop === undefined) throw new Error('no shop')
    const again = TASKS.flatMap((task) =>
      task.again === undefined ? [] : [{ ...task, shows: task.again }],
    )
    await Promise.all(
      again.map(async ({ shows, ...task }) => {
        const answers = await doTask(shop, { ...task, shows: [] })
        expect(answers.at(-1)?.text).toMatch(shows)
        expect(answers.map(({ command }) => command).join()).not.toContain('--apply')
      }),
    )
  })

  it('leave nothing of the faults that they repair, and each effect once', async () => {
    const [shop] = shops
    if (shop === undefined) throw new Error('no shop')
    const { text } = await typed(shop, ['status', '--json'])
    const { findings } = JSON.parse(text) as { findings: readonly { kind: string; of: string }[] }
    const repaired = /backlog|throttled|wrong clock|no consumer|lost record|baskets|orders-dead/
    expect(findings.filter(({ kind, of }) => repaired.test(`${kind} ${of}`))).toEqual([])
    const { sendInto, printed } = await clientsOf(shop)
    // Its message may be hidden for as long as the lease of the wrong clock would have lasted.
    await sendInto('reminders', 'reminder-81', { to: 'ann@example.com' })
    await expect.poll(() => printed('reminders'), { timeout: 20_000 }).toBe(1)
    expect([await printed('gifts'), await printed('newsletters')]).toEqual([1, 4])
  })
})
