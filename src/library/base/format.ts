import { UnknownFormatError } from './errors.ts'

/**
 * The format number that this version gives to every item and every message, under the name `format`. A version whose items or
 * messages this one would misread gives them a higher number. A field that an older reader may ignore needs no new number.
 */
export const FORMAT = 1

/** @param what the item or message, as operators find it */
export function unknownFormat(what: string, format: unknown): UnknownFormatError {
  if (typeof format !== 'number' || format <= FORMAT) {
    return notOurs(`${what} has no format number that Lineclear writes: it was written by hand`)
  }
  return new UnknownFormatError(
    `${what} has format ${format}, and this version of Lineclear knows format ${FORMAT}: a newer version has written it, and it was ` +
      'left as it is. Deploy the newer version to this function, too.',
  )
}

/** @returns an error for an item that has the format of this version, and that this version cannot have written */
export function damagedItem(what: string): UnknownFormatError {
  return notOurs(`${what} has format ${FORMAT} and cannot be read: it was changed by hand`)
}

function notOurs(why: string): UnknownFormatError {
  return new UnknownFormatError(
    `${why}, or is damaged, and it was left as it is. Restore it, or delete it if nothing needs it.`,
  )
}
