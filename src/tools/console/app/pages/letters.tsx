import { address } from '../route.ts'
import { EditLetter } from './letters/EditLetter.tsx'
import { LetterGroups } from './letters/LetterGroups.tsx'
import { LetterList } from './letters/LetterList.tsx'
import { LetterView } from './letters/LetterView.tsx'
import { AttributeValues } from './letters/AttributeValues.tsx'
import { viewIn } from './letters/selection.ts'

export function Letters() {
  switch (viewIn(address.value.query)) {
    case 'groups':
      return <LetterGroups />
    case 'list':
      return <LetterList />
    case 'letter':
      return <LetterView />
    case 'edit':
      return <EditLetter />
    case 'values':
      return <AttributeValues />
  }
}
