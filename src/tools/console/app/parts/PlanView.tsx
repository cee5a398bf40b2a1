import { Json } from './Json.tsx'
import { isTold, planLines } from './planLines.ts'
import type { ShownPlan } from './shownPlan.ts'
import { Text } from './Text.tsx'
import { Time } from './Time.tsx'

/** More of them are counted only; the command lists them all. */
const SHOWN = 100

/** What a plan changes: the items, now and then, and what it leaves out. */
export function PlanView({ of }: { readonly of: ShownPlan }) {
  const {
    action,
    id,
    now,
    afterwards,
    items,
    left,
    more,
    because,
    name,
    outcome,
    liveLease,
    rest,
  } = of
  const lines = planLines(action, rest)
  return (
    <div class="plan">
      {id !== undefined && (
        <p class="plan-id">
          <Text of={id} />
          {name !== undefined && <span class="faint"> plan {name}</span>}
        </p>
      )}
      {name === undefined && outcome !== 'planned' && outcome !== 'applied' && (
        <p class="tone-warn">
          <Text of={because ?? outcome} />
        </p>
      )}
      {(now.length > 0 || afterwards.length > 0) && (
        <div class="now-then">
          <Lines title="Now" of={now} />
          <Lines title="Then" of={afterwards} />
        </div>
      )}
      <Lines title={`Changed by it: ${items.length}`} of={items} />
      <Lines
        title={`Left as they are: ${left.length}`}
        of={left.map(({ id: each, because: why }) => (why === '' ? each : `${each}: ${why}`))}
      />
      {more && <p>One plan cannot hold all of them. Plan again when this one is done.</p>}
      {liveLease !== undefined && (
        <p class="tone-warn">
          An attempt may be running: its lease ends <Time at={liveLease} />.
        </p>
      )}
      <Lines title="In detail" of={lines} />
      {!isTold(action) && Object.keys(rest).length > 0 && lines.length === 0 && <Json of={rest} />}
    </div>
  )
}

function Lines({ title, of }: { readonly title: string; readonly of: readonly string[] }) {
  if (of.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul class="lines">
        {of.slice(0, SHOWN).map((line, at) => (
          <li key={at}>
            <Text of={line} />
          </li>
        ))}
      </ul>
      {of.length > SHOWN && <p class="faint">and {of.length - SHOWN} more</p>}
    </section>
  )
}
