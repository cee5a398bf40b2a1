import { expect, it } from 'vitest'
import { newContacts } from '../../../../src/tools/console/app/contact.ts'

it('what was asked, and not answered for four seconds, is not known to answer', () => {
  const contacts = newContacts()
  expect(contacts.stateAt(0)).toBe('waiting')
  contacts.asked('tasks', 0)
  contacts.told('tasks', 'answer')
  expect(contacts.stateAt(60_000)).toBe('answers')
  contacts.asked('tasks', 60_000)
  expect(contacts.stateAt(64_000)).toBe('answers')
  // Asked once more meanwhile: it waits no less for that.
  contacts.asked('tasks', 63_000)
  expect(contacts.stateAt(64_001)).toBe('waiting')
  contacts.told('tasks', 'answer')
  expect(contacts.stateAt(64_001)).toBe('answers')
})

it('one question without an answer is enough, until it is answered or not asked any more', () => {
  const contacts = newContacts()
  contacts.told('tasks', 'answer')
  contacts.told('groups', 'failure')
  expect(contacts.stateAt(0)).toBe('silent')
  contacts.asked('groups', 0)
  expect(contacts.stateAt(1)).toBe('silent')
  contacts.told('groups', 'answer')
  expect(contacts.stateAt(1)).toBe('answers')
  contacts.told('pauses', 'failure')
  contacts.left('pauses')
  expect(contacts.stateAt(1)).toBe('answers')
})
