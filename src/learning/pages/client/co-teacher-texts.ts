import type { Catalogue } from '#foundation/web/client/texts.ts'

const en = {
  owner: 'owner',
  add: 'Find somebody to teach with',
  hint: 'A part of the name of somebody in your channels, or the whole address or user name of anybody here',
  add_one: 'Add',
  add_named: 'Add {name}',
  remove_named: 'Remove {name}',
  nobody: 'Nobody is found. Somebody new is found by their whole address.',
  added: '{name} teaches here now.',
  removed: '{name} teaches here no more.',
  owner_only: 'The owner of the channel decides who teaches here.',
}
type CoTeacherText = keyof typeof en

const de: Catalogue<CoTeacherText>['de'] = {
  owner: 'Eigentümer',
  add: 'Jemanden zum gemeinsamen Lehren finden',
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
  add: 'Buscar a alguien para enseñar juntos',
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
