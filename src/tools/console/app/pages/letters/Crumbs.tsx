import { valueOf } from '../../address.ts'
import { Text } from '../../parts/Text.tsx'
import { address, href } from '../../route.ts'

/** Where one is among the dead letters, and the ways back. */
export function Crumbs() {
  const { query } = address.value
  const { letter, edit, ...list } = query
  const [queue, group] = [valueOf(query['queue']), valueOf(query['group'])]
  const isList = ['group', 'id', 'list'].some((name) => valueOf(query[name]) !== '')
  const parts = [
    { text: 'all dead letters', to: href('/letters') },
    ...(queue === '' ? [] : [{ text: queue, to: href('/letters', { queue }) }]),
    ...(isList
      ? [{ text: group === '' ? 'one by one' : `group ${group}`, to: href('/letters', list) }]
      : []),
    ...(valueOf(letter) === ''
      ? []
      : [{ text: 'dead letter', to: href('/letters', { ...list, letter }) }]),
    ...(valueOf(edit) === '' ? [] : [{ text: 'edit', to: '' }]),
  ]
  return (
    <nav class="crumbs" aria-label="Way back">
      {parts.map(({ text, to }, at) =>
        at === parts.length - 1 ? (
          <span key={text} aria-current="page">
            <Text of={text} />
          </span>
        ) : (
          <a key={text} href={to}>
            <Text of={text} />
          </a>
        ),
      )}
    </nav>
  )
}
