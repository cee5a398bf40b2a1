import { Text } from '../parts/Text.tsx'

interface FatesProps {
  readonly title: string
  readonly of: readonly { readonly text: string }[]
}

/** What the next delivery or call would do. */
export function Fates({ title, of }: FatesProps) {
  if (of.length === 0) return null
  return (
    <p>
      <span class="faint">{title}: </span>
      {of.map(({ text }) => (
        <Text key={text} of={text} />
      ))}
    </p>
  )
}
