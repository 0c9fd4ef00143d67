"""Languages that a grammar reads: the endings of their files, and what of a tree defines a name.

Each query marks a definition `@d` and its name `@n`; `@o` is what it belongs to where it does not stand inside that.
"""

from msgspec import Struct


class Grammar(Struct, frozen=True):
    """A grammar of tree-sitter, in a wheel of its own."""

    module: str
    """What is imported."""
    query: str
    language: str = "language"
    """The function of the module that gives the grammar."""


def _named(types: str) -> str:
    """Every node of these types, with its name."""
    return "".join(f"({each} name: (_) @n) @d\n" for each in types.split())


_SCRIPT = (
    _named(
        "function_declaration generator_function_declaration class_declaration class method_definition"
        " function_expression"
    )
    + """
(variable_declarator name: (identifier) @n) @d
(variable_declarator name: (array_pattern (identifier) @n)) @d
(pair key: (_) @n) @d
(assignment_expression left: (identifier) @n) @d
(assignment_expression left: (member_expression object: (this) property: (_) @n)) @d
(assignment_expression left: (member_expression object: (identifier) @o property: (_) @n)) @d
(assignment_expression left: (member_expression
  object: (member_expression object: (identifier) @o property: (_) @p) property: (_) @n) (#eq? @p "prototype")) @d
(assignment_expression left: (member_expression
  object: (member_expression object: (identifier) @m property: (_)) property: (_) @n) (#eq? @m "module")) @d
"""
)
_JAVASCRIPT = _SCRIPT + "(field_definition property: (_) @n) @d"
_TYPESCRIPT = (
    _SCRIPT
    + _named(
        "abstract_class_declaration interface_declaration type_alias_declaration enum_declaration function_signature"
        " method_signature abstract_method_signature property_signature public_field_definition internal_module module"
        " enum_assignment"
    )
    + "(enum_body name: (_) @n @d)\n"
    + "(required_parameter (accessibility_modifier) pattern: (identifier) @n) @d"
)
_GO = (
    _named("function_declaration type_spec type_alias const_spec var_spec field_declaration method_elem")
    + """
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @o
  (pointer_type (type_identifier) @o)
  (generic_type type: (type_identifier) @o)
  (pointer_type (generic_type type: (type_identifier) @o))
])) name: (_) @n) @d
"""
)
_RUST = (
    _named(
        "function_item function_signature_item struct_item enum_item enum_variant trait_item type_item const_item"
        " static_item mod_item macro_definition union_item field_declaration associated_type"
    )
    + """
(impl_item type: (type_identifier) @n) @d
(impl_item type: (generic_type type: (type_identifier) @n)) @d
"""
)
_JAVA = (
    _named(
        "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
        " method_declaration constructor_declaration compact_constructor_declaration enum_constant variable_declarator"
        " annotation_type_element_declaration"
    )
    + "(formal_parameters (formal_parameter name: (_) @n) @d)"
)
_C_SHARP = (
    _named(
        "class_declaration interface_declaration struct_declaration record_declaration enum_declaration"
        " delegate_declaration method_declaration constructor_declaration destructor_declaration property_declaration"
        " event_declaration variable_declarator enum_member_declaration local_function_statement"
    )
    + "(record_declaration (parameter_list (parameter name: (_) @n) @d))"
)
_RUBY = (
    _named("class module method singleton_method")
    + """
(assignment left: [(constant) (identifier) (instance_variable) (class_variable)] @n) @d
(call method: (identifier) @m arguments: (argument_list (simple_symbol) @n @d)
  (#any-of? @m "attr_reader" "attr_writer" "attr_accessor" "define_method" "scope" "has_many" "has_one" "belongs_to"
    "delegate" "alias_method" "attribute" "enum"))
"""
)
_PHP = (
    _named(
        "class_declaration interface_declaration trait_declaration enum_declaration function_definition"
        " method_declaration property_element enum_case property_promotion_parameter"
    )
    + """
(const_element (name) @n) @d
(assignment_expression left: (variable_name) @n) @d
"""
)
_C = (
    _named("preproc_def preproc_function_def enumerator")
    + """
(struct_specifier name: (_) @n body: (_)) @d
(union_specifier name: (_) @n body: (_)) @d
(enum_specifier name: (_) @n body: (_)) @d
(function_definition declarator: (function_declarator declarator: (identifier) @n)) @d
(function_definition declarator: (pointer_declarator (function_declarator declarator: (identifier) @n))) @d
(declaration declarator: (function_declarator declarator: (identifier) @n)) @d
(declaration declarator: (pointer_declarator (function_declarator declarator: (identifier) @n))) @d
(declaration declarator: (identifier) @n) @d
(init_declarator declarator: (identifier) @n) @d
(init_declarator declarator: (array_declarator declarator: (identifier) @n)) @d
(init_declarator declarator: (pointer_declarator declarator: (identifier) @n)) @d
(type_definition declarator: (type_identifier) @n) @d
(field_declaration declarator: (field_identifier) @n) @d
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @n)) @d
"""
)
_CPP = (
    _C
    + _named("namespace_definition alias_declaration concept_definition")
    + """
(class_specifier name: (_) @n body: (_)) @d
(function_definition declarator: (function_declarator declarator: (field_identifier) @n)) @d
(function_definition declarator: (function_declarator declarator: (destructor_name) @n)) @d
(function_definition declarator: (reference_declarator (function_declarator declarator: (identifier) @n))) @d
(function_definition declarator: (reference_declarator (function_declarator declarator: (field_identifier) @n))) @d
(function_definition declarator: (pointer_declarator (function_declarator declarator: (field_identifier) @n))) @d
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier scope: (_) @o name: (_) @n))) @d
(function_definition declarator: (pointer_declarator (function_declarator
  declarator: (qualified_identifier scope: (_) @o name: (_) @n)))) @d
(function_definition declarator: (reference_declarator (function_declarator
  declarator: (qualified_identifier scope: (_) @o name: (_) @n)))) @d
(field_declaration declarator: (function_declarator declarator: (field_identifier) @n)) @d
"""
)
_KOTLIN = (
    _named("class_declaration object_declaration function_declaration")
    + """
(property_declaration (variable_declaration (identifier) @n)) @d
(class_parameter (identifier) @n) @d
(enum_entry (identifier) @n) @d
(type_alias type: (identifier) @n) @d
"""
)
_SWIFT = _named(
    "class_declaration protocol_declaration function_declaration protocol_function_declaration typealias_declaration"
    " enum_entry property_declaration protocol_property_declaration"
)

_GRAMMARS = {
    "js jsx mjs cjs": Grammar("tree_sitter_javascript", _JAVASCRIPT),
    "ts mts cts": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_typescript"),
    "tsx": Grammar("tree_sitter_typescript", _TYPESCRIPT, "language_tsx"),
    "go": Grammar("tree_sitter_go", _GO),
    "rs": Grammar("tree_sitter_rust", _RUST),
    "java": Grammar("tree_sitter_java", _JAVA),
    "cs": Grammar("tree_sitter_c_sharp", _C_SHARP),
    "rb rake": Grammar("tree_sitter_ruby", _RUBY),
    "php": Grammar("tree_sitter_php", _PHP, "language_php"),
    "c": Grammar("tree_sitter_c", _C),
    "h cc cpp cxx hh hpp hxx": Grammar("tree_sitter_cpp", _CPP),
    "kt kts": Grammar("tree_sitter_kotlin", _KOTLIN),
    "swift": Grammar("tree_sitter_swift", _SWIFT),
}
GRAMMARS = {ending: grammar for endings, grammar in _GRAMMARS.items() for ending in endings.split()}
"""By the ending of a file, in small letters."""
