import type { Explained } from '../answers.ts'
import { valueOf } from '../address.ts'
import { Answer, Empty } from '../parts/standIns.tsx'
import { Id } from '../parts/Id.tsx'
import { Status } from '../parts/Status.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { EventTable } from '../request/EventTable.tsx'
import { ItemView } from '../request/ItemView.tsx'
import { mainItem, statusOf } from '../request/item.ts'
import { Problem } from '../request/Problem.tsx'
import { NextSteps } from '../request/NextSteps.tsx'
import { Waterfall } from '../request/Waterfall.tsx'
import { address, href } from '../route.ts'
import { session } from '../api.ts'
import { useAnswer } from '../useAnswer.ts'

const REFUSED = 400

export function Request() {
  const { query } = address.value
  const id = valueOf(query['id'])
  const { name, key, tenant, request: of, scan } = query
  const asked =
    name !== undefined
      ? { name, key, tenant, scan }
      : id === ''
        ? undefined
        : { id, request: of, scan }
  const isBare = name === undefined && scan === undefined && id !== '' && !id.includes('/')
  // The log of a local cloud may name the consumer of a bare id; without a log the server refuses it.
  const isLocal = session.value?.local === true
  const answered = useAnswer<Explained>('request', isBare && !isLocal ? undefined : asked)
  if (isBare && (!isLocal || answered.failure?.status === REFUSED))
    return <NotFound id={id} isBare />
  if (asked === undefined) {
    return (
      <Empty title="No id is given.">
        Give an id in the search box above, or choose one of the <a href="/tasks">open items</a>.
      </Empty>
    )
  }
  return (
    <>
      <Head id={id} of={answered.answer} />
      <Answer of={answered}>
        {(answer) =>
          answer.exit === 4 ? <NotFound id={id} isBare={false} /> : <Body of={answer} />
        }
      </Answer>
    </>
  )
}

function Head({ id, of }: { readonly id: string; readonly of: Explained | undefined }) {
  const { facts } = (of && mainItem(of.explained)) ?? {}
  const reason = facts !== undefined && 'reason' in facts ? facts.reason : undefined
  const attempt = facts !== undefined && 'attempt' in facts ? facts.attempt : undefined
  return (
    <p class="request-head">
      <Id of={facts?.id ?? id} to={null} copies />
      {facts !== undefined && <Status of={statusOf(facts)} />}
      {reason !== undefined && reason}
      {attempt !== undefined && attempt > 0 && <span class="faint">attempt {attempt}</span>}
    </p>
  )
}

/** @param isBare no consumer or flow is named, and the table has no index of ids */
function NotFound({ id, isBare }: { readonly id: string; readonly isBare: boolean }) {
  return (
    <Empty title={isBare ? 'This id has no consumer or flow.' : 'No item has this id.'}>
      Expected consumer/ID or flow/KEY, such as orders/order-17.{' '}
      <a href={href('/search', { id })}>Search for {id}</a> to find its consumer.
    </Empty>
  )
}

/** The forms in which a run is shown, by `view` in the URL. */
const FORMS = ['compact', 'timeline', 'full'] as const
type Form = (typeof FORMS)[number]

function Body({ of }: { readonly of: Explained }) {
  const { explained } = of
  const { query } = address.value
  const now: Form = FORMS.find((form) => form === valueOf(query['view'])) ?? 'timeline'
  return (
    <>
      <Problem of={explained} />
      <NextSteps of={explained} />
      <Tabs
        label="View"
        tabs={FORMS.map((form) => ({
          title: `${form.slice(0, 1).toUpperCase()}${form.slice(1)}`,
          href: href('/request', { ...query, view: form === 'timeline' ? undefined : form }),
          isNow: form === now,
        }))}
      />
      <Run of={of} form={now} />
      {explained.map((item) => (
        <ItemView key={item.title} of={item} isMain={item === mainItem(explained)} />
      ))}
    </>
  )
}

function Run({
  of: { timeline, waterfall },
  form,
}: {
  readonly of: Explained
  readonly form: Form
}) {
  const isDrawn = waterfall.bars.length + waterfall.marks.length > 0
  return (
    <>
      {isDrawn && <Waterfall of={waterfall} compact={form === 'compact'} />}
      {(form === 'full' || !isDrawn) && <EventTable of={timeline} />}
    </>
  )
}
