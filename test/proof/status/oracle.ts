import { judgeActive } from './judgeActive.ts'
import { judgeFailed } from './judgeFailed.ts'
import { judgeForm } from './judgeForm.ts'
import { judgeHeld } from './judgeHeld.ts'
import { judgeSources } from './judgeSources.ts'
import { judgeUnread } from './judgeUnread.ts'
import { factsOf } from './facts.ts'
import type { Seen } from './look.ts'
import type { World } from './world.ts'

/** What is wrong with what status says of a world: what it invents, and what it does not say. Knows the world, and no code of status. */
export function judge(world: World, seen: Seen): readonly string[] {
  const facts = factsOf(world)
  const isBlind = world.denied.has('list of queues') && !facts.tableRead
  if (isBlind || seen.code === 3) return judgeBlind(seen, isBlind)
  return [judgeForm, judgeUnread, judgeFailed, judgeActive, judgeSources, judgeHeld].flatMap(
    (each) => each(facts, seen),
  )
}

/** Without the table and the queues there is nothing to say but why. */
function judgeBlind({ code, codeOfJson, text, errors }: Seen, isBlind: boolean): readonly string[] {
  return [
    ...(isBlind ? [] : ['fails, though a source can be read']),
    ...(code === 3 && codeOfJson === 3 ? [] : [`ends with ${code} and ${codeOfJson}`]),
    ...(text.length === 0 ? [] : ['says something']),
    ...(errors[0]?.includes('not authorized') === true ? [] : ['does not say what is denied']),
    ...(errors.some((line) => /^\s+at /.test(line)) ? ['prints a stack'] : []),
  ]
}
