import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  owner: 'owner',
  add: 'Add a co-teacher',
  hint: 'Part of the name of someone in your channels, or the full e-mail address or user name of anyone here',
  add_one: 'Add',
  add_named: 'Add {name}',
  remove_named: 'Remove {name}',
  nobody: 'No one found. To add someone new, type their full e-mail address.',
  added: '{name} is now a teacher here.',
  removed: '{name} is no longer a teacher here.',
  owner_only: 'Only the owner of the channel can change its teachers.',
}
type CoTeacherText = keyof typeof en

const de: Catalogue<CoTeacherText>['de'] = {
  owner: 'Eigentümer',
  add: 'Lehrkraft hinzufügen',
  hint: 'Ein Teil des Namens von jemandem aus Ihren Kanälen, oder die ganze Adresse oder der Benutzername von irgendwem hier',
  add_one: 'Hinzufügen',
  add_named: '{name} hinzufügen',
  remove_named: '{name} entfernen',
  nobody: 'Niemand gefunden. Wer neu ist, wird über die ganze Adresse gefunden.',
  added: '{name} lehrt jetzt hier.',
  removed: '{name} lehrt hier nicht mehr.',
  owner_only: 'Der Eigentümer des Kanals entscheidet, wer hier lehrt.',
}

const es: Catalogue<CoTeacherText>['es'] = {
  owner: 'propietario',
  add: 'Añadir un docente',
  hint: 'Una parte del nombre de alguien de sus canales, o la dirección o el nombre de usuario completos de cualquiera de aquí',
  add_one: 'Añadir',
  add_named: 'Añadir a {name}',
  remove_named: 'Quitar a {name}',
  nobody: 'No se encuentra a nadie. A quien es nuevo se le encuentra por su dirección completa.',
  added: '{name} ya enseña aquí.',
  removed: '{name} ya no enseña aquí.',
  owner_only: 'El propietario del canal decide quién enseña aquí.',
}

export const CO_TEACHER_TEXTS: Catalogue<CoTeacherText> = { en, de, es }
