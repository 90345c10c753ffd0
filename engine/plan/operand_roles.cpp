#include "engine/plan/operand_roles.h"

#include <initializer_list>

namespace phasor {

OperandRole operand_role(Op op, std::size_t input) {
  using enum OperandRole;
  const auto in = [&](std::initializer_list<OperandRole> roles) {
    ensure(input < roles.size(), "{}: input {} has no role", op_info(op).name, input);
    return roles.begin()[input];
  };
  switch (op) {
    case Op::matmul:
      return in({left, right, bias});
    case Op::matmul_add:
      return in({sum, left, right});
    case Op::pack:  // as many as there are
      return right;
    case Op::add:
      return in({rows, suffix});
    case Op::gelu_gradient:
    case Op::gelu_with_gradient:
      return in({rows, rows});
    case Op::reduce_sum:
    case Op::gelu:
    case Op::transpose:
    case Op::reshape:
    case Op::convert:
      return in({rows});
    case Op::dropout:
    case Op::stochastic_round:
      return in({rows, fixed});
    case Op::layer_norm:
      return in({rows, suffix, suffix});
    case Op::layer_norm_gradient:
      return in({rows, suffix, row_numbers, row_numbers, rows});
    case Op::dropout_add_norm:
      return in({rows, rows, suffix, suffix, fixed});
    case Op::dropout_add_norm_gradient:
      return in({rows, suffix, row_numbers, row_numbers, fixed, rows});
    case Op::embedding:
      return in({table, ids});
    case Op::embedding_slice:
      return in({rows, table, ids, fixed});
    case Op::embedding_gradient:
      return in({ids, rows, fixed});
    case Op::embedding_gradient_add:
      return in({table, ids, rows, fixed});
    case Op::attention:
      return in({qkv, mask, fixed});
    case Op::attention_gradient:
      return in({qkv, mask, fixed, attended, log_sum_exp, attended});
    case Op::cross_entropy:
      return in({rows, labels, row_numbers});
    case Op::cross_entropy_gradient:
      return in({rows, labels, row_numbers, fixed});
    case Op::iota:
      return in({});
    case Op::adam:
      return in({rows, rows, rows, rows, fixed, fixed});
    case Op::square_sum:
      return in({fixed, rows});
    case Op::clip_factor:
      return in({fixed, fixed, fixed});
  }
  throw InternalError("an op has no roles for its inputs");
}

std::size_t operand_of(Op op, OperandRole role) {
  std::size_t input = 0;
  while (operand_role(op, input) != role) ++input;
  return input;
}

}  // namespace phasor
