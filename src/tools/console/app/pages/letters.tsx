import { address } from '../route.ts'
import { EditLetter } from './letters/EditLetter.tsx'
import { LetterGroups } from './letters/LetterGroups.tsx'
import { LetterList } from './letters/LetterList.tsx'
import { LetterView } from './letters/LetterView.tsx'
import { AttributeValues } from './letters/AttributeValues.tsx'
import { lettersViewIn } from './letters/selection.ts'

const VIEWS = {
  groups: LetterGroups,
  list: LetterList,
  letter: LetterView,
  edit: EditLetter,
  values: AttributeValues,
}

export function Letters() {
  const View = VIEWS[lettersViewIn(address.value.query)]
  return <View />
}
