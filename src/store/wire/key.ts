import type { Key } from '../store.ts'
import type { Attributes } from './attributes.ts'

export function keyAttributes({ pk, sk }: Key): Attributes {
  return { pk: { S: pk }, sk: { S: sk } }
}

/** One text for one key: the length keeps ('a', 'bc') and ('ab', 'c') apart. */
export function addressOf({ pk, sk }: Key): string {
  return `${pk.length}:${pk}${sk}`
}

export function addressIn({ pk, sk }: Attributes): string {
  return addressOf({ pk: pk?.S ?? '', sk: sk?.S ?? '' })
}
