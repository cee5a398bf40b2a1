import { asking } from './asking.ts'
import { DAY, daysCloud } from './days.ts'

/** Days between the events of a run, whose clock jumps: the answers come, the handler dies, and its dead letter is redriven twice. */
const FIRST = [0, 10, 19]
const SECOND = [0.1, 0.9]
const WAITS = [1, 13.9, 27.9]
const JUMPS = FIRST.flatMap((first) =>
  SECOND.flatMap((second) =>
    WAITS.flatMap((once) => WAITS.map((again) => [first, second, once, again] as const)),
  ),
)

async function lived(deletes: boolean, [first, second, ...waits]: readonly number[]) {
  const days = daysCloud(deletes)
  const { flow, ask, answer, redriven, broken, got } = asking(days, { giveUpAfter: '20d' })
  await flow.start({ key: 'k' })
  await days.cloud.deliver('work', ask)
  days.day(first ?? 0)
  await answer('a', 1)
  days.cloud.clock.advance((second ?? 0) * DAY)
  await answer('b', 2)
  for (const [nth, wait] of waits.entries()) {
    days.cloud.clock.advance(wait * DAY)
    broken.is = nth < waits.length - 1
    await redriven()
  }
  return { got, reasons: days.reasons() }
}

/** How often the lives of a run end in each way: what its handler got, and why its message was dead-lettered. */
export async function endsOf(deletes: boolean): Promise<Readonly<Record<string, number>>> {
  const ends = new Map<string, number>()
  for (const jumps of JUMPS) {
    const { got, reasons } = await lived(deletes, jumps)
    const end = JSON.stringify([got, reasons])
    ends.set(end, (ends.get(end) ?? 0) + 1)
  }
  return Object.fromEntries(ends)
}
