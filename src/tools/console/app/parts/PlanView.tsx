import type { PlanAnswer } from './plans.ts'
import { Time } from './Time.tsx'

/** More of them are counted only; the command lists them all. */
const SHOWN = 100

export function PlanView({ of }: { readonly of: PlanAnswer }) {
  const { id, now = [], after = [], lines = [], plan, outcome, said, liveLease } = of
  return (
    <div class="plan">
      {id !== undefined && (
        <p class="plan-id">
          {id}
          {plan !== undefined && <span class="faint"> plan {plan}</span>}
        </p>
      )}
      {plan === undefined && outcome !== 'planned' && outcome !== 'applied' && (
        <p class="tone-warn">{said}</p>
      )}
      {(now.length > 0 || after.length > 0) && (
        <div class="now-then">
          <Lines title="Now" of={now} />
          <Lines title="Then" of={after} />
        </div>
      )}
      {liveLease !== undefined && (
        <p class="tone-warn">
          An attempt may be running: its lease ends <Time at={liveLease} />.
        </p>
      )}
      <Lines title="In detail" of={lines} />
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
          <li key={at}>{line}</li>
        ))}
      </ul>
      {of.length > SHOWN && <p class="faint">and {of.length - SHOWN} more</p>}
    </section>
  )
}
