import type { Facts } from './facts.ts'
import type { Seen } from './look.ts'

const MINUTE = 60_000

/** What is paused, held back or begun, and the sweeper. */
export function judgeHeld({ world, isDenied }: Facts, { json }: Seen): readonly string[] {
  const { pauses, circuits, sweeper, killedPlan } = world
  const now = world.now + world.behind
  const said = (kind: string) => json.findings.filter((each) => each.kind === kind)
  const wrong: string[] = []
  const indexRead = !isDenied('index') && !isDenied('items')
  const expected = indexRead ? pauses : []
  if (said('paused').length !== expected.length)
    wrong.push(`${said('paused').length} pauses, and not ${expected.length}`)
  for (const { queue, state, until = Infinity } of expected) {
    const found = said('paused').find(({ of }) => of.includes(`queue ${queue})`))
    const isLate = state !== 'paused' || until < now - 2 * MINUTE
    if (found?.severity !== (isLate ? 'warn' : 'note'))
      wrong.push(`the pause of ${queue}: ${found?.severity}`)
    if (found?.what.includes('bank is down') !== true)
      wrong.push(`does not say why ${queue} is paused`)
  }
  const open = indexRead ? circuits.map(({ owner }) => owner) : []
  if (
    said('circuitOpen')
      .map(({ of }) => of)
      .join() !== open.join()
  )
    wrong.push(`not the open circuits ${open.join()}`)
  const plans =
    killedPlan === undefined || isDenied('audit') || isDenied('items') ? [] : [killedPlan]
  const found = said('operation').map(({ of }) => of.split(' ').at(-1))
  if (found.join() !== plans.join()) wrong.push(`not the plans ${plans.join()}`)
  const isSilent = (sweeper === 'silent' || sweeper === 'stuck') && !isDenied('items')
  if (said('sweeper').length !== (isSilent ? 1 : 0)) wrong.push(`the sweeper is ${sweeper}`)
  return wrong
}
