import { valueOf } from '../../address.ts'
import { TextFilter } from '../../parts/fields.tsx'
import { Answer } from '../../parts/standIns.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { counted } from '../../parts/words.ts'
import { address } from '../../route.ts'
import type { Groups } from './answers.ts'
import { Crumbs } from './LetterFilters.tsx'
import { LookButton, UnreadQueues, useLook } from './look.tsx'

type Value = NonNullable<Groups['per']>[number]

/** How many messages of a queue have each value of an attribute, such as the tenant. */
export function AttributeValues() {
  const { queue, per } = address.value.query
  const look = useLook<Groups>('groups', { queue, per })
  return (
    <>
      <Crumbs />
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <TextFilter name="per" label="Message attribute" hint="attribute" />
      </form>
      <LookButton of={look} />
      <Answer of={look}>
        {({ per: values = [], looked, unread }) => (
          <>
            <p>
              <b>{counted(looked, 'message')}</b> of {valueOf(queue)}, by {valueOf(per)}
            </p>
            <Table label="Messages by the value of an attribute" columns={COLUMNS} rows={values} />
            <UnreadQueues of={unread} />
          </>
        )}
      </Answer>
    </>
  )
}

const COLUMNS: readonly Column<Value>[] = [
  { title: 'Count', as: 'number', cell: ({ count }) => <b>{count.toLocaleString('en')}</b> },
  {
    title: 'Value',
    as: 'main',
    cell: ({ value }) => (value === null ? 'without it' : value),
  },
]
